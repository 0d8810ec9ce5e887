-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "max_nodes" INTEGER;
