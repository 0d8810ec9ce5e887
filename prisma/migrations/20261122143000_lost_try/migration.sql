-- AlterTable
ALTER TABLE "decision" ADD COLUMN     "took_us" INTEGER;

-- CreateTable
CREATE TABLE "lost_try" (
    "decision_id" UUID NOT NULL,
    "attempt" INTEGER NOT NULL,
    "revision" BIGINT NOT NULL,
    "basis" BIGINT NOT NULL,
    "at_ms" BIGINT NOT NULL,
    "code" TEXT NOT NULL,
    "hosts" TEXT[],
    "took_us" INTEGER,

    CONSTRAINT "lost_try_pkey" PRIMARY KEY ("decision_id","attempt")
);
