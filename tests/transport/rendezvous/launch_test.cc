#include "transport/rendezvous/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace rondo::rendezvous {
namespace {

using testing::HasSubstr;

using Variables = std::map<std::string, std::string>;

Result<Launch> detect(const Variables& variables) {
  return detect_launch([&](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

Variables rondo_run() {
  return {{"RONDO_RANK", "2"},
          {"RONDO_WORLD", "4"},
          {"RONDO_LOCAL_RANK", "2"},
          {"RONDO_LOCAL_WORLD", "4"},
          {"RONDO_JOB", "c0ffee0123456789"},
          {"RONDO_STORE", "127.0.0.1:4000"}};
}

Variables mpirun() {
  return {{"PMIX_RANK", "1"},
          {"PMIX_NAMESPACE", "1328414721"},
          {"OMPI_COMM_WORLD_SIZE", "3"},
          {"OMPI_COMM_WORLD_LOCAL_RANK", "0"},
          {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
}

Variables mpich() {
  return {{"PMI_FD", "6"},          {"PMI_RANK", "1"},        {"PMI_SIZE", "3"},
          {"MPI_LOCALRANKID", "0"}, {"MPI_LOCALNRANKS", "2"}, {"HYDI_CONTROL_FD", "7"}};
}

Variables srun() {
  return {{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_NTASKS", "4"}};
}

Variables srun_with_pmi() {
  Variables variables = srun();
  variables.merge(Variables{{"PMI_FD", "11"}, {"PMI_RANK", "1"}, {"PMI_SIZE", "4"}});
  return variables;
}

TEST(Launch, Environment_empty_isAWorldOfOne) {
  const auto launch = detect({});
  ASSERT_TRUE(launch.ok());
  EXPECT_EQ(launch->launcher, Launcher::kAlone);
  EXPECT_EQ(launch->process_index, 0);
  EXPECT_EQ(launch->process_count, 1);
  EXPECT_NE(launch->job, detect({})->job);
}

TEST(Launch, Environment_ofRondoRun_isRead) {
  auto variables = rondo_run();
  auto launch = detect(variables);
  ASSERT_TRUE(launch.ok()) << launch.status().message();
  EXPECT_EQ(launch->launcher, Launcher::kRondoRun);
  EXPECT_EQ(launch->process_index, 2);
  EXPECT_EQ(launch->process_count, 4);
  EXPECT_EQ(launch->local_index, 2);
  EXPECT_EQ(launch->local_count, 4);
  EXPECT_EQ(launch->job, 0xc0ffee0123456789U);
  EXPECT_EQ(launch->store_address, "127.0.0.1:4000");
  variables["RONDO_STORE_FD"] = "5";
  EXPECT_EQ(detect(variables)->store_fd, -1) << "only process 0 has the socket";
  variables["RONDO_RANK"] = variables["RONDO_LOCAL_RANK"] = "0";
  EXPECT_EQ(detect(variables)->store_fd, 5);
}

TEST(Launch, Environment_ofRondoRunWithoutLocalNumbers_isRead) {
  auto variables = rondo_run();
  variables.erase("RONDO_LOCAL_RANK");
  variables.erase("RONDO_LOCAL_WORLD");
  const auto launch = detect(variables);
  ASSERT_TRUE(launch.ok());
  EXPECT_FALSE(launch->local_index);
  EXPECT_FALSE(launch->local_count);
}

TEST(Launch, Environment_ofMpirun_isRead) {
  const auto launch = detect(mpirun());
  ASSERT_TRUE(launch.ok()) << launch.status().message();
  EXPECT_EQ(launch->launcher, Launcher::kPmix);
  EXPECT_EQ(launch->process_index, 1);
  EXPECT_EQ(launch->process_count, 3);
  EXPECT_EQ(launch->local_index, 0);
  EXPECT_EQ(launch->local_count, 2);
}

// A number made from what PMIx says here could be guessed: process ids and the like.
TEST(Launch, Job_ofMpirun_isLeftToBeDrawn) { EXPECT_EQ(detect(mpirun())->job, 0U); }

TEST(Launch, Environment_ofMpich_isRead) {
  const auto launch = detect(mpich());
  ASSERT_TRUE(launch.ok()) << launch.status().message();
  EXPECT_EQ(launch->launcher, Launcher::kPmi);
  EXPECT_EQ(launch->process_index, 1);
  EXPECT_EQ(launch->process_count, 3);
  EXPECT_EQ(launch->local_index, 0);
  EXPECT_EQ(launch->local_count, 2);
  EXPECT_EQ(launch->pmi.fd, 6);
  EXPECT_EQ(describe(*launch), "PMI-1, MPICH's mpirun (PMI_FD=6) (process 1 of 3)");
}

TEST(Launch, Environment_ofMpichWithAPort_leavesTheRestToTheLauncher) {
  const auto launch = detect({{"PMI_PORT", "n1:4000"}, {"PMI_ID", "2"}});
  ASSERT_TRUE(launch.ok()) << launch.status().message();
  EXPECT_EQ(launch->launcher, Launcher::kPmi);
  EXPECT_EQ(launch->process_count, 0);
  EXPECT_EQ(launch->pmi.fd, -1);
  EXPECT_EQ(launch->pmi.address, "n1:4000");
  EXPECT_EQ(launch->pmi.id, 2);
  EXPECT_EQ(describe(*launch), "PMI-1, the launcher (PMI_PORT=n1:4000)");
}

TEST(Launch, Environment_ofSrunWithPmi_isRead) {
  const auto launch = detect(srun_with_pmi());
  ASSERT_TRUE(launch.ok()) << launch.status().message();
  EXPECT_EQ(launch->process_count, 4);
  EXPECT_EQ(describe(*launch), "PMI-1, srun (PMI_FD=11) (process 1 of 4)");
}

TEST(Launch, Environment_ofSrunWithoutPmi_isUnsupportedAndSaysWhatToDo) {
  const auto launch = detect(srun());
  EXPECT_EQ(launch.status().code(), ErrorCode::kUnsupported);
  EXPECT_THAT(launch.status().message(), HasSubstr("srun as process 1 of 4"));
  EXPECT_THAT(launch.status().message(), HasSubstr("`srun --mpi=pmi2`"));
}

TEST(Launch, Environment_ofABatchScriptOrAStepOfOne_isAWorldOfOne) {
  EXPECT_TRUE(detect({{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}}).ok());
  EXPECT_TRUE(detect({{"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_PROCID", "0"}}).ok());
}

TEST(Launch, Several_theOneThatStartedLastWins) {
  auto variables = srun_with_pmi();
  variables.merge(mpirun());
  EXPECT_EQ(detect(variables)->launcher, Launcher::kPmix);
  variables.merge(rondo_run());
  EXPECT_EQ(detect(variables)->launcher, Launcher::kRondoRun);
}

TEST(Launch, Variable_missing_isInvalidArgumentThatNamesIt) {
  for (const auto& complete : {rondo_run(), mpirun(), mpich()}) {
    for (const auto& [name, value] : complete) {
      if (name.find("LOCAL") != std::string::npos) continue;
      if (name == "PMI_FD" || name == "HYDI_CONTROL_FD") continue;  // another launcher, or name
      auto variables = complete;
      variables.erase(name);
      const auto launch = detect(variables);
      EXPECT_EQ(launch.status().code(), ErrorCode::kInvalidArgument) << name;
      const char* named = name == "OMPI_COMM_WORLD_SIZE" ? "SLURM_STEP_NUM_TASKS" : name.c_str();
      EXPECT_THAT(launch.status().message(), HasSubstr(named));
    }
  }
}

TEST(Launch, Variable_malformed_isInvalidArgumentThatNamesItAndItsValue) {
  const std::vector<std::pair<std::string, std::string>> flaws = {
      {"RONDO_RANK", "4"},        {"RONDO_RANK", "-1"},      {"RONDO_RANK", "two"},
      {"RONDO_RANK", "2 "},       {"RONDO_WORLD", "0"},      {"RONDO_WORLD", "99999999999"},
      {"RONDO_JOB", "xyz"},       {"RONDO_STORE", "nohost"}, {"RONDO_JOB", "123456789abcdef01"},
      {"RONDO_LOCAL_WORLD", "5"}, {"RONDO_LOCAL_RANK", "4"}, {"RONDO_STORE_FD", "-2"},
  };
  for (const auto& [name, value] : flaws) {
    auto variables = rondo_run();
    variables[name] = value;
    const auto launch = detect(variables);
    EXPECT_EQ(launch.status().code(), ErrorCode::kInvalidArgument) << name << '=' << value;
    EXPECT_THAT(launch.status().message(), HasSubstr(name));
    EXPECT_THAT(launch.status().message(), HasSubstr("'" + value + "'"));
  }
}

TEST(Launch, Variable_ofPmi_malformed_isInvalidArgumentThatNamesIt) {
  const std::vector<std::pair<std::string, std::string>> flaws = {
      {"PMI_FD", "x"}, {"PMI_FD", "-1"}, {"PMI_RANK", "3"}, {"PMI_SIZE", "0"}};
  for (const auto& [name, value] : flaws) {
    auto variables = mpich();
    variables[name] = value;
    EXPECT_EQ(detect(variables).status().code(), ErrorCode::kInvalidArgument) << name;
    EXPECT_THAT(detect(variables).status().message(),
                HasSubstr(std::string(name).append("='").append(value).append("'")));
  }
  const auto no_id = detect({{"PMI_PORT", "n1:4000"}});
  EXPECT_THAT(no_id.status().message(), HasSubstr("PMI_ID is not set"));
}

TEST(Launch, Launcher_withoutPmi_isUnsupportedRatherThanManyWorldsOfOne) {
  EXPECT_EQ(detect({{"PMI_SIZE", "4"}, {"PMI_RANK", "1"}}).status().code(),
            ErrorCode::kUnsupported);
  EXPECT_EQ(detect({{"OMPI_COMM_WORLD_SIZE", "4"}}).status().code(), ErrorCode::kUnsupported);
  EXPECT_TRUE(detect({{"PMI_SIZE", "1"}}).ok());
}

}  // namespace
}  // namespace rondo::rendezvous
