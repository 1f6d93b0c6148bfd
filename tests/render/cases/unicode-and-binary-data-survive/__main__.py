import base64

import pulumi_kubernetes as k8s

everything = bytes(range(256))
k8s.core.v1.ConfigMap(
    "files",
    metadata={"annotations": {"описание": "настройки", "emoji/ok": "🚀 \u200b zero width"}},
    data={
        "poem.txt": "Füchse\nschlafen\n\n  nicht ✨\n",
        "tabs": "a:\tb\n\tc",
        "windows.ini": "[one]\r\nkey=value\r\n",
        "script.sh": "#!/bin/sh\nset -e\necho \"$HOME: ${1:-'none'}\" | sed 's/\\//\\\\/g'\n",
        "yaml.yaml": "---\nkey: |\n  text\n...\n",
        "percent": "100%",
        "at": "@at",
        "backtick": "`tick`",
        "dash": "- not a list",
        "question": "? not a key",
        "colon": "ends with:",
        "hash": "a # no comment",
        "anchors": "&a *a !tag",
        "braces": "{{ .Values.x }}",
        "nbsp": "\u00a0",
        "bom": "\ufeffbom",
        "numbers": "0x1F",
        "underscored": "1_000",
        "sexagesimal": "1:20:30",
        "infinity": ".inf",
        "yes": "yes",
        "n": "n",
    },
    binary_data={"all.bin": base64.b64encode(everything).decode()},
)
k8s.core.v1.Secret("keys", data={"key": base64.b64encode(everything[::-1]).decode()})
