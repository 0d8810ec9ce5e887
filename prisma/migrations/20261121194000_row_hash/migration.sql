-- AlterTable
ALTER TABLE "decision" ADD COLUMN     "row_hash" BYTEA;
