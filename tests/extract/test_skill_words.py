"""What a skill is called."""

from __future__ import annotations

import pytest
from skills import made, written

# -- what it is called


@pytest.mark.parametrize(
    ("intents", "name", "description"),
    [
        (
            ["Book a hotel in Porto for 12-15 December, max 120 euros a night", "Find a hotel in Vienna for 3 nights"],
            "book-hotel",
            "book a hotel",
        ),
        (
            ["Add a nullable column `vat_id` to customers and migrate the dev database",
             "Get a column discount_code on orders, nullable, and run the migration on the dev db"],
            "add-nullable-column-migrate",
            "add a nullable column and migrate the dev database",
        ),
        (
            ["Fix: production deploy went red at the healthcheck",
             "Fix: the deploy to staging is flaky again - it fails at the healthcheck step"],
            "fix-deploy-healthcheck",
            "fix: the deploy at the healthcheck step",
        ),
        (
            ["Renew the cert for mail.acme.io", "Fix: cert on api.acme.io has expired"],
            "renew-cert",
            "renew the cert",
        ),
        (
            ["Check and refund if true (Customer #4471 says she was charged twice for order 9913)",
             "Customer 5120 claims a double charge on order 10022, verify and refund"],
            "check-refund-customer-charged",
            "check and refund if true (Customer says she was charged twice)",
        ),
        (["Onboard Lena Brandt, she starts 1 Dec", "Do the usual onboarding"], "onboard", "onboard …"),
        (
            ["Implement pagination for GET /users (page, per_page), with tests", "Add pagination to GET /orders"],
            "add-pagination-get",
            "add pagination to GET /orders",
        ),
        (["Soil moisture in bed 1 is at 15 %", "Soil moisture in bed 3 is at 12 %"], "soil-moisture",
         "handle “Soil moisture”"),
        (["Back up the orders table and upload it to S3", "Back up the users table and upload it to S3"],
         "back-up-table-upload", "back up the users table and upload it"),
        (["Restart catalog", "Restart the payments service on prod"], "restart-catalog", "restart catalog"),
    ],
)  # fmt: skip
def test_it_is_called_by_what_its_tasks_share(intents: list[str], name: str, description: str) -> None:
    skill = written(*(made(number, intent, quality=0.9 - number / 10) for number, intent in enumerate(intents)))
    assert skill.name == name
    assert skill.description == f"How to {description} (from 2 runs)"
