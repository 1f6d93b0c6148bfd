package main

import (
	"example.com/case/lib"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		return lib.Settings(ctx, "settings")
	})
}
