import sys
from importlib import import_module
for new, old in (("kernel","model"),("affine","affine"),("expression","expression"),("types","types"),("functions","functions"),("from_isl","from_isl")):
    sys.modules["loadstone.kernel."+old]=import_module("loadstone.model."+new)
