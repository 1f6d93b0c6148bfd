"""Pulumi programs: what runs them, and what becomes of what they register."""
