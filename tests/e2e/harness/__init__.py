"""A local Argo CD on a real Kubernetes API: ordinary processes on loopback, nothing installed.

There is no kubelet and no scheduler. What kubelet would do for the pod of
`argocd-repo-server` is done by `pods`, from the Deployment as the API server holds it, so
that a wrong patch fails here as it would in a cluster. Linux with util-linux is needed;
root is not, where the kernel grants user namespaces.
"""
