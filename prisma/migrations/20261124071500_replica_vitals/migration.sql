-- AlterTable
ALTER TABLE "replica" ADD COLUMN     "vitals" JSONB;
