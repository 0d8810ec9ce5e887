-- Lists and counts of how requests ended are of a short time: what is older must not be read for them.
-- DropIndex
DROP INDEX "decision_outcome_idx";

-- CreateIndex
CREATE INDEX "decision_outcome_at_ms_idx" ON "decision"("outcome", "at_ms" DESC);
