import type { Binaries } from './binaries.ts';

/**
 * PostgreSQL tuned for a small machine with a high rate of writes. The settings are given on the command line, so they apply to
 * a cluster of any age, and an upgrade of Carillon can change them.
 */
export function serverSettings(binaries: Binaries): Record<string, string> {
  return {
    cluster_name: 'carillon', // identifies our processes in ps
    max_connections: '100',
    timezone: 'UTC',
    log_timezone: 'UTC',

    // Guaranteed: a request that was answered with success survives a power cut.
    fsync: 'on',
    synchronous_commit: 'on',

    // The buffers are the limit to which PostgreSQL's memory grows: 21 MB (PSS) fresh, 86 MB idle after a load that filled
    // them. With 128MB it was 25 and 153 MB, beyond Carillon's memory budget beside Node, and inserts (50 rows a transaction,
    // four connections) were no faster.
    shared_buffers: '64MB',
    io_method: 'worker',
    io_workers: '2',
    max_logical_replication_workers: '0', // one process less; there are no subscriptions
    jit: 'off', // our queries are short: compiling one costs more than running it

    // Few, large checkpoints: after each of them every page is written to the WAL in full once more.
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    // pglz, the only other choice, wrote a quarter less under constant checkpoints, but for CPU time that the inserts need:
    // fewer rows/s in three of four runs side by side (38k to 63k, 49k to 52k, 47k to 92k; 63k to 57k).
    wal_compression: binaries.lz4 ? 'lz4' : 'off',

    // Queue tables turn over completely within seconds, so autovacuum runs every 10 s rather than every minute, and with a
    // higher cost limit.
    autovacuum_naptime: '10s',
    autovacuum_vacuum_cost_limit: '1000',

    // The log may end up in a bug report: no statements, no values of rows (they contain addresses and bodies).
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
  };
}
