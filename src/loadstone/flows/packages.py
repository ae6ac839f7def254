"""Folders of accelerators with the files of flows: descriptions for tools, software, and pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from loadstone.emit.hdl.accelerator import AcceleratorFolder
from loadstone.flows.bare_metal import emit_bare_metal_driver
from loadstone.flows.figures import figures_of
from loadstone.flows.ipxact import emit_component, vlnv
from loadstone.flows.litex import litex_files, wrapper_name
from loadstone.flows.pynq import call_text, pynq_files
from loadstone.flows.quartus import emit_platform_designer
from loadstone.flows.readme import emit_figures, emit_flow_section, emit_not_run
from loadstone.flows.xrt import xrt_files
from loadstone.loops.accelerator import Accelerator
from loadstone.options import Flow
from loadstone.texts import markdown_table

_WITH_COMPONENT: frozenset[Flow] = frozenset({"vivado", "quartus", "pynq", "xrt"})
"""The flows that need the accelerator in IP-XACT."""
_README = "README.md"


@dataclass(frozen=True, slots=True, eq=False)
class Packaging:
    """Flows that accelerators are packaged for; testbenches have these parameters."""

    accelerator: Accelerator
    parameters: Mapping[str, int]
    flows: Sequence[Flow]

    def __call__(self, folder: AcceleratorFolder) -> dict[str, str]:
        """The files of a folder, with those of the flows."""
        if not self.flows:
            return dict(folder.files)
        return {**folder.files, **dict(self._added(folder)), _README: self._readme(folder)}

    def _added(self, folder: AcceleratorFolder) -> Iterator[tuple[str, str]]:
        yield f"{folder.name}_driver.h", emit_bare_metal_driver(folder)
        if _WITH_COMPONENT & set(self.flows):
            yield "component.xml", emit_component(folder)
        for flow in self.flows:
            yield from self._files(folder, flow).items()

    def _files(self, folder: AcceleratorFolder, flow: Flow) -> dict[str, str]:
        match flow:
            case "quartus":
                return {f"{folder.name}_hw.tcl": emit_platform_designer(folder)}
            case "pynq":
                return pynq_files(folder)
            case "xrt":
                predicted = figures_of(self.accelerator, self.parameters).words
                return xrt_files(folder, self.accelerator, self.parameters, predicted)
            case "litex" if folder.language == "verilog":
                return litex_files(folder)
            case "vitis" | "vivado" | "litex" | "fusesoc":
                return {}

    def _readme(self, folder: AcceleratorFolder) -> str:
        known = {"name": folder.name, "vlnv": vlnv(folder), "call": call_text(folder), "module": wrapper_name(folder)}
        flows: list[Flow] = [flow for flow in self.flows if _takes(flow, folder)]
        bus = folder.design.bus
        parts = (
            folder.files[_README],
            emit_flow_section("rtl", flows, known),
            _software(folder),
            emit_figures(figures_of(self.accelerator, self.parameters), bus.bytes, bus.burst),
            emit_not_run(flows),
        )
        return "\n".join(part for part in parts if part)


def _takes(flow: Flow, folder: AcceleratorFolder) -> bool:
    """Whether a flow takes a folder of hardware in its language."""
    return flow != "vitis" and (flow != "litex" or folder.language == "verilog")


def _software(folder: AcceleratorFolder) -> str:
    """How software drives the accelerator, with its registers."""
    known = folder.registers.registers
    rows = markdown_table(
        ("offset", "register", "access", "meaning"),
        ((f"0x{each.offset:02X}", each.name, each.access, each.meaning) for each in known),
    )
    return (
        "## Software\n\n"
        f"`{folder.name}_driver.h` has a function with the signature of the kernel for software without an operating\n"
        f"system, over `{folder.name}_registers.h`. [registers.md](registers.md) has all bits.\n\n{rows}"
    )
