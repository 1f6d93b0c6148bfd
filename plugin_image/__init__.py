"""The plugin image: its build context, and the renderer that runs inside it."""
