"""The parts of SchedulerClient."""
