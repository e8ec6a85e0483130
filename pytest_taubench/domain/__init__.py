"""Domains: a folder of tools, database and policy, bundled or anyone's own."""

from pytest_taubench.domain.check import Problem, check_domain
from pytest_taubench.domain.domain import Domain, DomainLibrary, load_domain, load_folder
from pytest_taubench.domain.folder import bundled_domains, find_domain

__all__ = [
    "Domain",
    "DomainLibrary",
    "Problem",
    "bundled_domains",
    "check_domain",
    "find_domain",
    "load_domain",
    "load_folder",
]
