#include "nn/tensor/data_type_name.h"

#include <array>
#include <string>

namespace rondo::nn {

Result<DataType> data_type_from(std::string_view name) {
  constexpr std::array kTypes = {DataType::kI8,  DataType::kU8,  DataType::kI32, DataType::kU32,
                                 DataType::kI64, DataType::kU64, DataType::kF16, DataType::kBF16,
                                 DataType::kF32, DataType::kF64};
  for (const DataType type : kTypes) {
    if (name == to_string(type)) return type;
  }
  return Status(ErrorCode::kInvalidArgument, "no data type is called '" + std::string(name) + "'");
}

}  // namespace rondo::nn
