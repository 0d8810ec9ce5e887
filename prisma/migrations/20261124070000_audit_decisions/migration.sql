-- Decisions are asked which requests they answered: the rows of calls whose answer was one, by it. Prisma has no words for the condition.
-- CreateIndex
CREATE INDEX "audit_decision_idx" ON "audit" ("target") WHERE "result" IN ('SelectDestinationsPayload', 'NoValidHost');
