-- AlterTable
ALTER TABLE "log" ADD COLUMN     "is_flushed" BOOLEAN NOT NULL DEFAULT true;
