"""Takes the JSON schemas of one Kubernetes release out of the wheel of kubernetes-validate, for kubeconform, which would
otherwise download them: references become relative, and the addresses that the schemas give themselves go.
Usage: kubernetes-schemas.py WHEEL RELEASE FOLDER"""
import json
import os
import sys
import zipfile


def relative(value):
    if isinstance(value, list):
        return [relative(item) for item in value]
    if not isinstance(value, dict):
        return value.removeprefix('/api/') if isinstance(value, str) and value.startswith('/api/_definitions.json#') else value
    return {name: relative(item) for name, item in value.items() if name != '$id' or not isinstance(item, str)}


wheel, release, folder = sys.argv[1:]
prefix = f'kubernetes_validate/kubernetes-json-schema/v{release}-local-strict/'
os.makedirs(folder, exist_ok=True)
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        if not name.startswith(prefix) or not name.endswith('.json'):
            continue
        with open(os.path.join(folder, os.path.basename(name)), 'w', encoding='utf-8') as file:
            json.dump(relative(json.loads(archive.read(name))), file)
