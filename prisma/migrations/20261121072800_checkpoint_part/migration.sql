-- AlterTable
ALTER TABLE "checkpoint" ADD COLUMN     "log_bytes" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "parts" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "checkpoint_part" (
    "revision" BIGINT NOT NULL,
    "part" INTEGER NOT NULL,
    "body" TEXT NOT NULL,

    CONSTRAINT "checkpoint_part_pkey" PRIMARY KEY ("revision","part")
);

-- CreateTable
CREATE TABLE "projection_set_aside" (
    "revision" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "projection_set_aside_pkey" PRIMARY KEY ("revision","kind","id")
);

-- AddForeignKey
ALTER TABLE "checkpoint_part" ADD CONSTRAINT "checkpoint_part_revision_fkey" FOREIGN KEY ("revision") REFERENCES "checkpoint"("revision") ON DELETE CASCADE ON UPDATE CASCADE;

-- What the log held up to the checkpoints that are there
UPDATE "checkpoint" SET "log_bytes" = (SELECT coalesce(sum(octet_length(l."body") + 100), 0) FROM "log" l WHERE l."revision" <= "checkpoint"."revision");
