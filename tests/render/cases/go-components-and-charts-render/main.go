package main

import (
	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/apiextensions"
	corev1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/core/v1"
	helmv4 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/helm/v4"
	metav1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/meta/v1"
	yamlv2 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/yaml/v2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

type pair struct {
	pulumi.ResourceState
	Name pulumi.StringOutput
}

func newPair(ctx *pulumi.Context, name string, opts ...pulumi.ResourceOption) (*pair, error) {
	made := &pair{}
	if err := ctx.RegisterComponentResource("example:index:Pair", name, made, opts...); err != nil {
		return nil, err
	}
	left, err := corev1.NewConfigMap(ctx, name+"-left", &corev1.ConfigMapArgs{
		Data: pulumi.StringMap{"side": pulumi.String("left")},
	}, pulumi.Parent(made))
	if err != nil {
		return nil, err
	}
	made.Name = left.Metadata.Name().Elem()
	_, err = corev1.NewConfigMap(ctx, name+"-right", &corev1.ConfigMapArgs{
		Metadata: &metav1.ObjectMetaArgs{
			Annotations: pulumi.StringMap{"left": pulumi.Sprintf("%s!", made.Name)},
		},
		Data:      left.Data,
		Immutable: pulumi.Bool(true),
	}, pulumi.Parent(made), pulumi.DependsOn([]pulumi.Resource{left}))
	if err != nil {
		return nil, err
	}
	return made, ctx.RegisterResourceOutputs(made, pulumi.Map{"name": made.Name})
}

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		made, err := newPair(ctx, "pair")
		if err != nil {
			return err
		}
		if _, err := helmv4.NewChart(ctx, "chart", &helmv4.ChartArgs{
			Chart:     pulumi.String("./charts/web"),
			Namespace: pulumi.String("shop"),
			Values:    pulumi.Map{"replicas": pulumi.Int(2), "config": pulumi.Map{"name": made.Name}},
		}); err != nil {
			return err
		}
		if _, err := yamlv2.NewConfigGroup(ctx, "group", &yamlv2.ConfigGroupArgs{
			Files: pulumi.StringArray{pulumi.String("manifests/*.yaml")},
		}); err != nil {
			return err
		}
		_, err = apiextensions.NewCustomResource(ctx, "widget", &apiextensions.CustomResourceArgs{
			ApiVersion: pulumi.String("example.com/v1"),
			Kind:       pulumi.String("Widget"),
			OtherFields: map[string]interface{}{
				"spec": map[string]interface{}{"size": 3, "ratio": 0.5, "names": []string{"a", "b"}},
			},
		})
		return err
	})
}
