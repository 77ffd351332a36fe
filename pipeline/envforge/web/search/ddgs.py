"""Public search engines through the package `ddgs` (an extra): it reads their pages for people, without a contract.

The package asks by itself, past our guard and our limits on size; it is used only when it is named.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

from envforge.core.errors import ConfigError
from envforge.core.records.search import Hit
from envforge.core.scrub import scrub
from envforge.web.search.answers import checked_query, hits_of, listed
from envforge.web.search.errors import ProviderFaultError, QuotaError, SearchTimeoutError

PACKAGE = "ddgs"
_NOTHING = "No results found."
_WHERE = "ddgs"


class DdgsSearch:
    """Asks through the package. `text(query, max_results=…)` is the package's own function, or stands in for it.

    Raises ConfigError where the package is missing.
    """

    name = "ddgs"

    def __init__(self, *, timeout: float, text: Callable[..., Any] | None = None) -> None:
        if importlib.util.find_spec(PACKAGE) is None:
            raise ConfigError(f"needs the package {PACKAGE}", where=_WHERE, remedy="pip install 'envforge[ddgs]'")
        self._timeout = timeout
        self._text = text or self._ask

    def _ask(self, query: str, *, max_results: int) -> Any:
        ddgs: Any = importlib.import_module(PACKAGE)  # it has few types
        return ddgs.DDGS(timeout=max(1, round(self._timeout))).text(query, max_results=max_results)

    def search(self, query: str, *, limit: int) -> tuple[Hit, ...]:
        """The hits. Raises ConfigError, SourceError."""
        from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException

        words = checked_query(query, limit)
        try:
            found = self._text(words, max_results=limit)
        except RatelimitException as error:
            raise QuotaError(f"the engines refuse more: {_said(error)}", where=_WHERE) from error
        except TimeoutException as error:
            told = f"no answer within {self._timeout:g} seconds"
            raise SearchTimeoutError(told, where=_WHERE, remedy="give a longer --timeout", retryable=True) from error
        except DDGSException as error:
            if str(error) == _NOTHING:  # its only way to say so; nothing else tells it from a fault
                return ()
            raise _fault(error) from error
        except Exception as error:
            # It drives engines that it does not control through a compiled client: whatever comes out is their fault.
            raise _fault(error) from error
        return hits_of(listed(found, _WHERE), ("title", "href", "body"), limit=limit, provider=self.name, where=_WHERE)


def _fault(error: Exception) -> ProviderFaultError:
    remedy = "try again later, or take another --provider"
    return ProviderFaultError(f"the engines failed: {_said(error)}", where=_WHERE, remedy=remedy, retryable=True)


def _said(error: Exception) -> str:
    return scrub(f"{type(error).__name__} {error}")[:200].rstrip()
