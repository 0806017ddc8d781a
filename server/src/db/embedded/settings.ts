import type { Binaries } from './binaries.ts';

/**
 * PostgreSQL tuned for a small machine with a high rate of writes. Given on the command line, so they hold for a
 * cluster of any age, and an upgrade of Carillon can change them.
 */
export function serverSettings(binaries: Binaries): Record<string, string> {
  return {
    cluster_name: 'carillon', // tells our processes apart in ps
    max_connections: '100',
    timezone: 'UTC',
    log_timezone: 'UTC',

    // Promised: what was answered with success survives a power cut.
    fsync: 'on',
    synchronous_commit: 'on',

    // The buffers are what PostgreSQL's memory grows to: 21 MB (PSS) fresh, 86 MB idle after a load that filled them. With
    // 128MB it was 25 and 153 MB, past what Carillon allows itself beside Node, and inserts
    // (50 rows a transaction, four connections) were no faster.
    shared_buffers: '64MB',
    io_method: 'worker',
    io_workers: '2',
    max_logical_replication_workers: '0', // one process less; we never subscribe
    jit: 'off', // our queries are short: compiling one costs more than running it

    // Few, large checkpoints: after each of them every page is written to the WAL in full once more.
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    // pglz, the only other choice, wrote a quarter less under constant checkpoints, but for CPU time that the inserts
    // need: fewer rows/s in three of four runs side by side (38k to 63k, 49k to 52k, 47k to 92k; 63k to 57k).
    wal_compression: binaries.lz4 ? 'lz4' : 'off',

    // Queue tables turn over completely within seconds, so look every 10 s rather than every minute, and get on with it.
    autovacuum_naptime: '10s',
    autovacuum_vacuum_cost_limit: '1000',

    // The log may end up in a bug report: no statements, no values of rows (they hold addresses and bodies).
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
  };
}
