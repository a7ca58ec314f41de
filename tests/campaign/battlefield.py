"""What the nemesis can hit: the service, its connections, its clocks and its disk."""

from dataclasses import dataclass

from tests.campaign.clocks import Clocks
from tests.campaign.disk import Disk
from tests.campaign.history import History
from tests.campaign.proxying import FaultProxy
from tests.campaign.service import CampaignService


@dataclass(slots=True)
class Battlefield:
    """What the nemesis can hit.

    disk: None where there can be none; then it is not filled.
    """

    service: CampaignService
    proxy: FaultProxy
    clocks: Clocks
    disk: Disk | None
    history: History
