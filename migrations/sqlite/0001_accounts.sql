-- Owned by the gateway.
SELECT 1;
