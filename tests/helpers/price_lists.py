"""Small price lists in the formats of public ones; names and prices are made up."""

from __future__ import annotations

from pathlib import Path

from euclio.problems.session import Configuration, Hardware, Module, Session

SKYPILOT = """InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemGiB,Price,Region,AvailabilityZone,GpuInfo,SpotPrice
v100-1,V100,1.0,8,61,3.2,east,east-a,"{'Gpus': [{'Name': 'V100', 'Count': 1.0}]}",1.1
v100-1,V100,1.0,8,61,3.2,east,east-b,"{'Gpus': [{'Name': 'V100', 'Count': 1.0}]}",0.9
v100-8,V100,8.0,64,488,24.8,east,east-a,"{'Gpus': [{'Name': 'V100', 'Count': 8.0}]}",
v100-1,V100,1.0,8,61,2.5,west,west-a,"{'Gpus': [{'Name': 'V100', 'Count': 1.0}]}",1.5
t4-3,T4,3.0,16,64,1,east,east-a,,
cpu-4,,,4,16,0.2,east,east-a,,0.05
"""
"""On demand the eighth of an instance is the cheapest V100 in the east, as spot instance one of its own in zone b."""

APART = """InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,SpotPrice
host-2g,24.0,170.0,,,,east,east-a,1.5,0.5
,,,A100,1.0,,east,east-a,2.9,1
,,,A100,2.0,,east,east-a,5.8,2
"""
"""Accelerators are sold apart from the instance that hosts two of them."""

INSTANCES = "instance,price_per_h\nv100.big,12.24\nt4.small,0.526\nc5.xlarge,0.17\n"

GO = """package pricing

// generated at 2000-01-01T00:00:00Z for east

var InitialOnDemandPricesAWS = map[string]map[ec2types.InstanceType]float64{
	// east
	"east": {
		// t4 family
		"t4.small": 0.526000, "t4.big": 1.200000,
		"v100.big": 12.240000,
	},
}
"""


def price_list(folder: Path, name: str, text: str) -> str:
    """The path of a list that is written there."""
    (folder / name).write_text(text)
    return str(folder / name)


def priced_session(currency: str | None = None) -> Session:
    """A module on three types of machines."""
    names = ("V100", "T4", "cpu")
    profile = [Configuration(name, 1, 1, "0.1") for name in names]
    return Session("priced", 1, [Hardware(name, 9) for name in names], [Module("m", 10, profile)], currency=currency)
