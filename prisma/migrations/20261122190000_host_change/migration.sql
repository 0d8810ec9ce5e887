-- CreateTable
CREATE TABLE "host_change" (
    "revision" BIGINT NOT NULL,
    "place" INTEGER NOT NULL,
    "host" TEXT NOT NULL,
    "node" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "at_ms" BIGINT NOT NULL,
    "reason" TEXT NOT NULL,
    "aggregate" TEXT,
    "aggregate_name" TEXT,
    "changes" JSONB NOT NULL,
    "untold" INTEGER NOT NULL,

    CONSTRAINT "host_change_pkey" PRIMARY KEY ("revision","place")
);

-- CreateTable
CREATE TABLE "host_change_span" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "from_revision" BIGINT NOT NULL,
    "from_ms" BIGINT NOT NULL,
    "to_revision" BIGINT NOT NULL,

    CONSTRAINT "host_change_span_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "host_change_host_node_at_ms_idx" ON "host_change"("host", "node", "at_ms" DESC);

-- CreateIndex
CREATE INDEX "lost_try_hosts_idx" ON "lost_try" USING GIN ("hosts");

-- Who edited what: of the edits of operators alone, which are few beside placings and reports. Prisma has no words for an index on some rows.
CREATE INDEX "audit_edits_idx" ON "audit"("at_ms")
    WHERE mutation IN ('hostSetStatus', 'aggregateCreate', 'aggregateUpdate', 'aggregateDelete', 'aggregateImport', 'claimRevoke');
