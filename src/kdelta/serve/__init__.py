"""The pages of a store on this machine: read-only, over HTTP, for a browser."""
