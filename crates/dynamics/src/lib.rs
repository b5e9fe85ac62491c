//! What every scheme shares: rigid states, loads, the ledger, contact events, the observer.
