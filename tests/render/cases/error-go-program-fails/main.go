package main

import (
	"errors"

	corev1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/core/v1"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		if _, err := corev1.NewConfigMap(ctx, "settings", nil); err != nil {
			return err
		}
		return errors.New("no such colour: blue")
	})
}
