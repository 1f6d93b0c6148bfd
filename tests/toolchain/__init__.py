"""The real parts that the end-to-end tests run on, built once and kept in a cache."""
