"""What is asked of the cluster before anything is changed."""
