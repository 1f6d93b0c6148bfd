"""What Pulumi's random provider would make up, made from a key instead of drawn.

The provider draws a value once and finds it in the stack's state from then on. A render has no
state, so the value has to be the same each time it is made: a function of a key that the program's
Application alone has, of the resource, and of the arguments that force a new value when they
change. `packages` says which resources there are; each takes what `arguments` have read, and draws
from a `streams.Stream`.

Source: pulumi-random `provider/cmd/pulumi-resource-random/schema.json`, and what it bridges,
hashicorp/terraform-provider-random `internal/provider/resource_*.go` and `internal/random/`.
"""
