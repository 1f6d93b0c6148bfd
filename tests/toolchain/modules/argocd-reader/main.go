// Reads what a plugin prints through all that Argo CD reads it with, on its way to a cluster.
//
// Each line of standard input is a stream as a JSON string. Each line of output is what comes of
// it, as JSON: {"objects": […]} or {"error": "…"}.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/gitops-engine/pkg/utils/kube"
)

type outcome struct {
	Objects []json.RawMessage `json:"objects,omitempty"`
	Error   string            `json:"error,omitempty"`
}

func main() {
	in := json.NewDecoder(bufio.NewReader(os.Stdin))
	out := json.NewEncoder(os.Stdout)
	for {
		var stream string
		if err := in.Decode(&stream); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		objects, err := read(stream)
		result := outcome{Objects: objects}
		if err != nil {
			result.Error = err.Error()
		}
		if err := out.Encode(result); err != nil {
			log.Fatal(err)
		}
	}
}

func read(stream string) ([]json.RawMessage, error) {
	// The plugin's server: cmpserver/plugin/plugin.go, generateManifest.
	manifests, err := kube.SplitYAMLToString([]byte(stream))
	if err != nil {
		return nil, err
	}
	var objects []json.RawMessage
	for _, manifest := range manifests {
		// The repo-server: reposerver/repository/repository.go, runConfigManagementPluginSidecars.
		parsed, err := kube.SplitYAML([]byte(manifest))
		if err != nil {
			return nil, err
		}
		for _, object := range parsed {
			sent, err := json.Marshal(object.Object)
			if err != nil {
				return nil, err
			}
			// The controller: controller/state.go, GetRepoObjs.
			target, err := v1alpha1.UnmarshalToUnstructured(string(sent))
			if err != nil {
				return nil, err
			}
			applied, err := json.Marshal(target.Object)
			if err != nil {
				return nil, err
			}
			objects = append(objects, applied)
		}
	}
	return objects, nil
}
