"""From samples to what they say."""
