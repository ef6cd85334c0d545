"""Values to text: computes nothing beyond scaling."""
