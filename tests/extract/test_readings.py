"""What has changed: newer words end older ones that they contradict, and no others.

The pairs are told a month apart. In the first list of each topic the first statement is over, in the second it stands.
"""

from __future__ import annotations

import pytest
from telling import assert_over, assert_stands

Pairs = list[tuple[str, str]]
CONTACT_OVER: Pairs = [
    ("My email is dan@old.com.", "I changed my email to dan@new.com."),
    ("My email is dan@old.com.", "Please use c@d.com from now on"),
    ("My email is a@b.com.", "My new email is c@d.com."),
    ("My phone number is 555-1234.", "I changed my phone number to 555-9999."),
    ("My email is a@b.com.", "Use c@d.com instead."),
    ("My email is a@b.com.", "Please write to c@d.com from now on."),
    ("My work email is a@b.com.", "I updated my work email to c@d.com."),
    ("My address is 5 Elm St.", "I changed my address to 7 Oak St."),
    ("My phone number is 555-1234.", "I got a new number: 555-9999."),
    ("My phone number is 555-1234.", "I have a new phone number, it's 555-9999."),
    ("My boss is Karen.", "I've got a new boss, Ben Miller."),
]
CONTACT_STANDS: Pairs = [
    ("My phone number is 555-1234.", "I got a new phone, it's a Pixel 9."),
    ("My email is a@b.com.", "My wife changed her email to c@d.com."),
    ("My email is a@b.com.", "I changed my email to private."),
    ("My email is a@b.com.", "Send the invoice to c@d.com."),
    ("My email is a@b.com.", "Please use c@d.com for the test."),
    ("My phone number is 555-1234.", "I changed my phone to silent."),
    ("My email is a@b.com.", "The support mail is c@d.com."),
]


@pytest.mark.parametrize(("first", "then"), CONTACT_OVER)
def test_what_is_over(first: str, then: str) -> None:
    assert_over(first, then)


@pytest.mark.parametrize(("first", "then"), CONTACT_STANDS)
def test_what_stands(first: str, then: str) -> None:
    assert_stands(first, then)
