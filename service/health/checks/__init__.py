"""What readiness looks at, one file a subject; `service.health.readiness` lists the checks."""
