-- CreateTable
CREATE TABLE "replica" (
    "id" TEXT NOT NULL,
    "url" TEXT,
    "version" TEXT NOT NULL,
    "feature_level" INTEGER NOT NULL,
    "mode" TEXT NOT NULL,
    "reason" TEXT,
    "revision" BIGINT NOT NULL,
    "lag_changes" INTEGER NOT NULL,
    "lag_ms" BIGINT NOT NULL,
    "violations" INTEGER NOT NULL,
    "checked_at_ms" BIGINT,
    "digests" JSONB NOT NULL,
    "started_at_ms" BIGINT NOT NULL,
    "seen_at_ms" BIGINT NOT NULL,
    "stopped_at_ms" BIGINT,

    CONSTRAINT "replica_pkey" PRIMARY KEY ("id")
);
