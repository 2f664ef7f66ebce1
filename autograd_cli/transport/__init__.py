"""What carries messages between workers."""
