"""Reads tool/launch/kubernetes.yaml as the API server would. It has the fields and types of the
objects, taken from the API reference, and finds the command of a pod. It needs Python's yaml."""
from case import Failure, equal, true
from launch_case import LeftOut

# A value is a type, fields of an object, or a list with the type of its entries. ANY stands for
# names of the user's. None is not checked.
ANY = "any name"
FIELD_REF = {"fieldRef": {"apiVersion": str, "fieldPath": str}, "secretKeyRef": None,
             "configMapKeyRef": None, "resourceFieldRef": None}
CONTAINER = {"name": str, "image": str, "command": [str], "args": [str], "workingDir": str,
             "env": [{"name": str, "value": str, "valueFrom": FIELD_REF}],
             "resources": {"requests": {ANY: str}, "limits": {ANY: str}},
             "volumeMounts": [{"name": str, "mountPath": str, "subPath": str, "readOnly": bool}],
             "imagePullPolicy": str, "securityContext": None, "ports": None}
POD = {"restartPolicy": str, "terminationGracePeriodSeconds": int, "containers": [CONTAINER],
       "subdomain": str, "nodeSelector": {ANY: str}, "securityContext": None, "tolerations": None,
       "volumes": [{"name": str, "persistentVolumeClaim": {"claimName": str, "readOnly": bool},
                    "emptyDir": None, "configMap": None}]}
METADATA = {"name": str, "namespace": str, "labels": {ANY: str}, "annotations": {ANY: str}}
RULE = {"action": str, "onExitCodes": {"containerName": str, "operator": str, "values": [int]},
        "onPodConditions": [{"type": str, "status": str}]}
SCHEMA = {
    ("batch/v1", "Job"): {
        "apiVersion": str, "kind": str, "metadata": METADATA,
        "spec": {"completionMode": str, "completions": int, "parallelism": int,
                 "backoffLimit": int, "activeDeadlineSeconds": int, "suspend": bool,
                 "ttlSecondsAfterFinished": int, "podFailurePolicy": {"rules": [RULE]},
                 "template": {"metadata": METADATA, "spec": POD}}},
    ("v1", "PersistentVolumeClaim"): {
        "apiVersion": str, "kind": str, "metadata": METADATA,
        "spec": {"accessModes": [str], "resources": {"requests": {ANY: str}},
                 "storageClassName": str, "volumeName": str}},
}
OF_POD = {"metadata.annotations['batch.kubernetes.io/job-completion-index']": "{rank}",
          "metadata.labels['batch.kubernetes.io/controller-uid']": "uid"}


def read_objects(path):
    try:
        import yaml
    except ImportError:
        raise LeftOut("needs Python's yaml (python3-yaml)") from None
    return list(yaml.safe_load_all(path.read_text()))


def check_fields(value, schema, place):
    if schema is None:
        return
    if isinstance(schema, list):
        true(isinstance(value, list), f"{place}: is no list")
        for i, entry in enumerate(value):
            check_fields(entry, schema[0], f"{place}[{i}]")
    elif isinstance(schema, dict):
        true(isinstance(value, dict), f"{place}: is no object")
        for name, field in value.items():
            if name not in schema and ANY not in schema:
                raise Failure(f"{place}: no field {name}")
            check_fields(field, schema.get(name, schema.get(ANY)), f"{place}.{name}")
    else:
        true(type(value) is schema, f"{place}: {value!r} is no {schema.__name__}")


def action_on(job, code):
    """Returns the action of the first rule that knows the exit code; "Count": backoffLimit counts
    it."""
    for rule in job["podFailurePolicy"]["rules"]:
        if code in rule.get("onExitCodes", {}).get("values", []):
            return rule["action"]
    return "Count"


def check_restarts(job):
    """Checks that one lost process is one failure: processes that lost it are not counted."""
    for code in (1, 2, 65, 66, 69, 73, 74, 77, 78, 79):
        equal(action_on(job, code), "FailJob", f"exit code {code}, which a restart does not mend")
    for code in (143, 170, 171):
        equal(action_on(job, code), "Ignore", f"exit code {code}, which a lost process brings")
    equal(action_on(job, 137), "Count", "a process that was killed")


def check_objects(objects):
    """Checks the objects' fields and types, and other rules of the API server."""
    for found in objects:
        kind = (found["apiVersion"], found["kind"])
        true(kind in SCHEMA, f"{kind} is not known")
        check_fields(found, SCHEMA[kind], kind[1])
    job = next(found for found in objects if found["kind"] == "Job")["spec"]
    pod = job["template"]["spec"]
    equal(job["completionMode"], "Indexed", "completionMode")
    equal(job["parallelism"], job["completions"], "parallelism: all processes run at a time")
    equal(pod["restartPolicy"], "Never", "restartPolicy, which podFailurePolicy asks for")
    containers = [container["name"] for container in pod["containers"]]
    for rule in job["podFailurePolicy"]["rules"]:
        true(("onExitCodes" in rule) != ("onPodConditions" in rule), f"one condition: {rule}")
        if "onPodConditions" in rule:
            continue
        codes = rule["onExitCodes"]
        true(codes["containerName"] in containers and codes["operator"] in ("In", "NotIn")
             and rule["action"] in ("FailJob", "Ignore", "Count", "FailIndex"), f"rule {rule}")
        true(codes["values"] == sorted(set(codes["values"])) and 0 not in codes["values"],
             "values of onExitCodes: ascending, not 0")
    check_restarts(job)
    volumes = {volume["name"] for volume in pod["volumes"]}
    for container in pod["containers"]:
        for mount in container["volumeMounts"]:
            true(mount["name"] in volumes, f"no volume {mount['name']}")
    claims = {found["metadata"]["name"] for found in objects
              if found["kind"] == "PersistentVolumeClaim"}
    for volume in pod["volumes"]:
        true(volume["persistentVolumeClaim"]["claimName"] in claims, f"no claim of {volume}")
    size = {entry["name"]: entry.get("value") for entry in pod["containers"][0]["env"]}["PMI_SIZE"]
    equal(size, str(job["completions"]), "PMI_SIZE")


def pod_command(objects, rank):
    """Returns the environment and the words of the command that the pod of `rank` runs."""
    job = next(found for found in objects if found["kind"] == "Job")["spec"]
    container = job["template"]["spec"]["containers"][0]
    env = {}
    for entry in container["env"]:
        value = entry.get("value")
        if value is None:
            value = OF_POD[entry["valueFrom"]["fieldRef"]["fieldPath"]].format(rank=rank)
        env[entry["name"]] = value
    return env, container["command"] + container["args"]
