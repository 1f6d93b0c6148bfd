package main

import (
	appsv1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/apps/v1"
	corev1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/core/v1"
	metav1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/meta/v1"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Application is a web server with its settings and its address.
type Application struct {
	pulumi.ResourceState

	Address pulumi.StringOutput `pulumi:"address"`
	Image   pulumi.StringOutput `pulumi:"image"`
}

// ApplicationArgs are its inputs.
type ApplicationArgs struct {
	Image    pulumi.StringInput    `pulumi:"image"`
	Replicas pulumi.IntPtrInput    `pulumi:"replicas,optional"`
	Password pulumi.StringPtrInput `pulumi:"password,optional"`
	Settings pulumi.StringMapInput `pulumi:"settings,optional"`
}

// NewApplication makes one.
func NewApplication(
	ctx *pulumi.Context, name string, args ApplicationArgs, opts ...pulumi.ResourceOption,
) (*Application, error) {
	made := &Application{}
	if err := ctx.RegisterComponentResource("web:index:Application", name, made, opts...); err != nil {
		return nil, err
	}
	below := pulumi.Parent(made)
	labels := pulumi.StringMap{"app": pulumi.String(name), "stack": pulumi.String(ctx.Stack())}
	settings, err := corev1.NewConfigMap(
		ctx, name+"-settings", &corev1.ConfigMapArgs{Data: args.Settings}, below,
	)
	if err != nil {
		return nil, err
	}
	password := args.Password.ToStringPtrOutput().Elem()
	login, err := corev1.NewSecret(
		ctx, name+"-login",
		&corev1.SecretArgs{StringData: pulumi.StringMap{"password": password}}, below,
	)
	if err != nil {
		return nil, err
	}
	environment := corev1.EnvFromSourceArray{
		corev1.EnvFromSourceArgs{
			ConfigMapRef: corev1.ConfigMapEnvSourceArgs{Name: settings.Metadata.Name()},
		},
		corev1.EnvFromSourceArgs{
			SecretRef: corev1.SecretEnvSourceArgs{Name: login.Metadata.Name()},
		},
	}
	_, err = appsv1.NewDeployment(ctx, name, &appsv1.DeploymentArgs{
		Spec: appsv1.DeploymentSpecArgs{
			Replicas: args.Replicas,
			Selector: metav1.LabelSelectorArgs{MatchLabels: labels},
			Template: corev1.PodTemplateSpecArgs{
				Metadata: metav1.ObjectMetaArgs{Labels: labels},
				Spec: corev1.PodSpecArgs{
					Containers: corev1.ContainerArray{
						corev1.ContainerArgs{
							Name:    pulumi.String("web"),
							Image:   args.Image,
							EnvFrom: environment,
						},
					},
				},
			},
		},
	}, below)
	if err != nil {
		return nil, err
	}
	service, err := corev1.NewService(ctx, name, &corev1.ServiceArgs{
		Spec: corev1.ServiceSpecArgs{
			Selector: labels,
			Ports:    corev1.ServicePortArray{corev1.ServicePortArgs{Port: pulumi.Int(80)}},
		},
	}, below)
	if err != nil {
		return nil, err
	}
	made.Address = pulumi.Sprintf("http://%s", service.Metadata.Name().Elem())
	made.Image = args.Image.ToStringOutput()
	return made, nil
}
