"""The judge that needs no key and no network: rules, bundled vectors and a small fitted model."""
