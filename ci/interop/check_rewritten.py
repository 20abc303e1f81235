"""check_rewritten.py CASES WRITTEN: what our writer wrote holds and means what PyTorch's file did."""

import os
import sys
import warnings

warnings.filterwarnings("ignore")
os.environ.setdefault("GLOG_minloglevel", "2")

import torch
import torchvision  # noqa: F401 registers the operators that some models name

from archives import Comparison, compare_loaded, report, summary

cases, written = sys.argv[1:3]
torch.backends.quantized.engine = "qnnpack"
passed = failed = 0
for name in sorted(os.listdir(cases)):
    theirs = os.path.join(cases, name, "model.pt")
    ours = os.path.join(written, name + ".pt")
    if not os.path.exists(theirs):
        continue
    if os.path.exists(ours):
        problems = Comparison(ours, theirs).data().records("extra/", "code/", "version", ".data/").problems
        problems += compare_loaded(ours, theirs)
    else:
        problems = ["not written"]
    if report(name, problems):
        passed += 1
    else:
        failed += 1
sys.exit(summary(passed, failed, 0))
