"""What the service does when more clients come than it can serve."""
