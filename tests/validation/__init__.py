"""What the statistics promise, measured by simulation at full size."""
