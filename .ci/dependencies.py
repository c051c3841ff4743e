"""Checks every dependency against deny.toml, and the direct ones against docs/dependencies.md. Needs no network."""

import json
import pathlib
import re
import subprocess
import sys
import tomllib

rules = tomllib.loads(pathlib.Path("deny.toml").read_text())
allowed = set(rules["licenses"]["allow"])
# Each with those that may use it all the same.
banned = {ban["name"]: set(ban.get("wrappers", [])) for ban in rules["bans"]["deny"]}
sources = {"registry+" + registry for registry in rules["sources"]["allow-registry"]}
faults = []


def permits(expression):
    """Whether an SPDX expression can be met with allowed licences alone: `OR` chooses, `AND` asks for both."""
    words = re.findall(r"\(|\)|[^\s()]+", expression.replace("/", " OR "))

    def either():
        met = both()
        while words and words[0] == "OR":
            words.pop(0)
            met = both() or met
        return met

    def both():
        met = one()
        while words and words[0] == "AND":
            words.pop(0)
            met = one() and met
        return met

    def one():
        name = words.pop(0)
        if name == "(":
            met = either()
            words.pop(0)
            return met
        if words and words[0] == "WITH":
            words.pop(0)
            name += " WITH " + words.pop(0)
        return name in allowed

    return either()


def licence(package):
    """What a package is licensed under; where it only comes with a text, what that is."""
    if package["license"]:
        return package["license"]
    if not package["license_file"]:
        return None
    text = pathlib.Path(package["manifest_path"]).with_name(package["license_file"]).read_text()
    return "MIT" if "Permission is hereby granted, free of charge, to any person obtaining a copy" in text else None


def metadata(manifest):
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--manifest-path", manifest]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def check(package, excepted):
    name = f"{package['name']} {package['version']}"
    if package["source"] not in sources:
        faults.append(f"{name} comes from {package['source']}")
    terms = licence(package)
    if not terms or not (permits(terms) or terms in excepted.get(package["name"], [])):
        faults.append(f"{name} has the licence {terms}")


product = metadata("Cargo.toml")
packages = product["packages"]
names = {package["id"]: package["name"] for package in packages}
users = {}
for node in product["resolve"]["nodes"]:
    for used in node["dependencies"]:
        users.setdefault(used, set()).add(names[node["id"]])
direct = set()
for package in packages:
    name = f"{package['name']} {package['version']}"
    if package["source"] is None:
        direct |= {each["name"] for each in package["dependencies"] if each.get("path") is None}
        faults += [f"{name}: {each['name']} has no version" for each in package["dependencies"]
                   if each["req"] == "*" and each.get("path") is None]
        continue
    check(package, {})
    if package["name"] in banned:
        wrong = users.get(package["id"], set()) - banned[package["name"]]
        faults += [f"{name} is banned, and {user} uses it" for user in sorted(wrong)]

# The fleet is a program of its own: the bans are not for it, and what is excepted is in it alone.
excepted = {each["crate"]: each["allow"] for each in rules["licenses"]["exceptions"]}
fleet = [package for package in metadata("fleet/Cargo.toml")["packages"] if package["source"]]
for package in fleet:
    check(package, excepted)

for apart in ["fuzz", "fleet"]:
    manifest = tomllib.loads(pathlib.Path(apart, "Cargo.toml").read_text())
    direct |= {name for name, value in manifest["dependencies"].items() if "path" not in value}
rows = [line.split("|")[1] for line in pathlib.Path("docs/dependencies.md").read_text().splitlines() if line.startswith("| `")]
listed = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}
faults += [f"{name} is missing in docs/dependencies.md" for name in sorted(direct - listed)]
faults += [f"docs/dependencies.md names {name}, which nothing uses" for name in sorted(listed - direct)]

for fault in faults:
    print(f"error: {fault}", file=sys.stderr)
print(f"{len(packages)} packages and {len(fleet)} of the fleet, {len(direct)} of them named by ours: {len(faults)} faults")
sys.exit(bool(faults))
