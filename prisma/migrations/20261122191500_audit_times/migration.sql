-- The audit is asked for times: what is older must not be read for it.
-- CreateIndex
CREATE INDEX "audit_at_ms_idx" ON "audit" USING BRIN ("at_ms");
