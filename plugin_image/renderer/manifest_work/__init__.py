"""ManifestWorks of Open Cluster Management: what they wrap, and for which managed clusters."""
