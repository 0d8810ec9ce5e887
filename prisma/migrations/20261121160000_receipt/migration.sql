-- AlterTable
ALTER TABLE "decision" ADD COLUMN     "claim_ids" UUID[] DEFAULT ARRAY[]::UUID[],
ADD COLUMN     "decided_hash" BYTEA,
ADD COLUMN     "inputs_hash" BYTEA,
ADD COLUMN     "matrix_at_ms" BIGINT,
ADD COLUMN     "matrix_hash" BYTEA,
ADD COLUMN     "packed" BYTEA;
