"""Folders of SystemVerilog and VHDL with testbenches and pages."""
