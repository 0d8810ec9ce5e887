-- CreateTable
CREATE TABLE "lease" (
    "host" TEXT NOT NULL,
    "node" TEXT NOT NULL,
    "heard_at_ms" BIGINT NOT NULL,

    CONSTRAINT "lease_pkey" PRIMARY KEY ("host","node")
);

-- CreateTable
CREATE TABLE "liveness_watch" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "since_ms" BIGINT NOT NULL,
    "until_ms" BIGINT NOT NULL,

    CONSTRAINT "liveness_watch_pkey" PRIMARY KEY ("id")
);
